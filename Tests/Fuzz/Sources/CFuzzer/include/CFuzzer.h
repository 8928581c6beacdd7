#include <stddef.h>
#include <stdint.h>

/// libFuzzer as a library: makes inputs after inputs, and calls back with each. Returns when its time is up.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*take)(const uint8_t *bytes, size_t count));
