// Keys and search of every page.
