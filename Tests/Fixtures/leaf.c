// Stands in for a command in a shell script: prints its parent's pid at descriptor 3, which no pipe or
// substitution of the script takes away, and waits for the end of descriptor 4.
#include <stdio.h>
#include <unistd.h>

int main(void) {
  dprintf(3, "%d\n", (int)getppid());
  char byte;
  while (read(4, &byte, 1) > 0) {}
  return 0;
}
