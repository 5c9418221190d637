/** What a journal can hold and give back unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };
