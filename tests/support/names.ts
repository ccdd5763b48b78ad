/** The database that `sql/` builds. All test databases are clones of it. */
export const TEST_TEMPLATE = 'parallax_template';
