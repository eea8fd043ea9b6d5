/* Which Assay this is. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

extern const char version_commit[]; /* "unknown": built from files that nobody knows the commit of */
#endif
