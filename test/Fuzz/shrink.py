"""The smallest list that still fails: delta debugging (Zeller and Hildebrandt, TSE 2002), complements only."""


def shrink(items, fails, budget):
    """Drops items, large groups first, while `fails` holds; `budget` is a list with the number of attempts left."""
    items = list(items)
    size = max(1, len(items) // 2)
    while items:
        at = 0
        while at < len(items):
            if budget[0] <= 0:
                return items
            budget[0] -= 1
            smaller = items[:at] + items[at + size:]
            if fails(smaller):
                items = smaller
            else:
                at += size
        if size == 1:
            return items
        size = max(1, size // 2)
    return items
