/** The database that test databases are cloned from: what `sql/` builds. */
export const testTemplate = 'parallax_template';
