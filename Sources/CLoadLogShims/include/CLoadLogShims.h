#ifndef CLOADLOG_SHIMS_H
#define CLOADLOG_SHIMS_H

#endif
