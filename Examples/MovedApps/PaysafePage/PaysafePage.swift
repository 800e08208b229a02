// Holds the place of the page's code.
