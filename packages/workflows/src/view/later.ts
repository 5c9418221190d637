/** The value of a dialog's choice that does what Esc does. */
export const later = "later";
