#ifdef __CUDACC_RDC__
// nvlink 13.0 takes the constants of two objects for one where they are equal and have up to 64 bytes, but has the
// readers of the second look behind them. So these have more.
__constant__ unsigned char cufuse_moreConstants[65];
#endif
