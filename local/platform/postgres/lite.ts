/**
 * Loads `@supabase/lite`. Only where it is needed, because it takes 0.2 s.
 *
 * Its supabase-js prints a warning about Node 20, which is suppressed. It also replaces
 * `process.emitWarning` by a function that throws when the warning is an Error, as Node's own are;
 * the function of Node is put back.
 */
export async function loadLite() {
  const { warn } = console;
  const { emitWarning } = process;
  console.warn = () => {};
  try {
    const [{ App, setExperimental }, { createPostgresConnection }] = await Promise.all([
      import('@supabase/lite'),
      import('@supabase/lite/postgres'),
    ]);
    return { App, setExperimental, createPostgresConnection };
  } finally {
    console.warn = warn;
    process.emitWarning = emitWarning;
  }
}
