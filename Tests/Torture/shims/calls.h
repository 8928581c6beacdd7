// Shared by the shims: which files they watch, and the original calls.
#pragma once
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The original call behind the shim.
#define REAL(call) \
  static __typeof__(&call) real; \
  if (!real) real = (__typeof__(&call))dlsym(RTLD_NEXT, #call)

// The store's path; files whose names start with it belong to the store.
static inline const char *store_path(void) {
  static const char *path;
  if (!path) path = getenv("LOADLOG_TORTURE_STORE");
  return path ? path : "";
}

static inline int is_of_store(const char *path) {
  const char *store = store_path();
  return *store && strncmp(path, store, strlen(store)) == 0;
}

static inline int is_folder_of_store(const char *path) {
  const char *store = store_path(), *slash = strrchr(store, '/');
  size_t length = slash ? (size_t)(slash - store) : 0;
  return length && strlen(path) == length && strncmp(path, store, length) == 0;
}

// The current name of an open file, or an empty text.
static inline const char *name_of(int descriptor, char name[4096]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, name, 4095);
  name[length > 0 ? length : 0] = 0;
  return name;
}
