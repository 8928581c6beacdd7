#include <stddef.h>
#include <stdint.h>

/// Entry point of libFuzzer as a library: calls `take` with generated inputs until the time limit in `argv`
/// is reached.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*take)(const uint8_t *bytes, size_t count));
