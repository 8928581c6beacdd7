// Swift finds its arguments in /proc, which a chroot or an early boot may not have; C gets them from the kernel.
int loadlog_main(int count, char **arguments);

int main(int count, char **arguments) { return loadlog_main(count, arguments); }
