"""launch_cases.py CUFUSE FILE OUT.cu: in each line `// CASE: LINKS: CODE` of the file, the code launches two kernels, of which
`inspect --chains` must say just these links. Without any, the two do not follow each other."""
import json
import re
import subprocess
import sys

cufuse, path, out = sys.argv[1:]
with open(path) as file:
    text = file.read()
cases = re.findall(r"^// CASE: ?(.*?): (.*)$", text, re.MULTILINE)
common, per_case = text[text.index("#include"):].split("// For each case.\n")
with open(out, "w") as file:
    file.write(common)
    for number, (_, code) in enumerate(cases):
        file.write(re.sub(r"\b(scale|shift|run)\b", rf"\g<1>{number}", per_case.replace("CASE", code)))
run = subprocess.run([cufuse, "inspect", "--chains", "--json", out], stdout=subprocess.PIPE, check=True)
found = {}
for chain in json.loads(run.stdout):
    number = re.search(r"\d+$", chain["kernels"][0]).group()
    found[int(number)] = [re.sub(r"(scale|shift)\d+", r"\1", link) for link in chain["links"]]
wrong = [f"{code}\n  links: {found.get(number)}, expected: {links or None}" for number, (links, code) in enumerate(cases)
         if sorted(found.get(number, [])) != sorted(links.split())]
sys.exit("\n".join(wrong) if wrong or not cases else 0)
