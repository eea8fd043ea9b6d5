/* Where SQLite puts what it sorts. */
#ifndef STORE_UNNAMED_H
#define STORE_UNNAMED_H

/* From here on SQLite's temporary files have no name, of which a confined process (base/confine.h) may open
   as many as it likes; where the system has no such files, they have one, as ever. */
void unnamed_files(void);
#endif
