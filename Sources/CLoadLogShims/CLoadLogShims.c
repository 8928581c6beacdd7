#include "CLoadLogShims.h"
