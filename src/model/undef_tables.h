/* Ends one reading of tables.def.  No include guard: meant to be included often. */
#undef TABLE
#undef LINK
#undef REF
#undef TEXT
#undef NUMBER
#undef OPTIONAL
#undef ADDRESS
#undef FLAG
#undef ENUM
#undef CODED
#undef BYTES
#undef MEMORY
#undef VIRTUAL
#undef SORTED
#undef INDEX
#undef END_TABLE
