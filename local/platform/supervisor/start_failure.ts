import { damageText, isDamage } from '../postgres/postgres.ts';
import { errorCode, isDiskFull, UserError } from '../user_error.ts';

/**
 * What ended a start, as an error that the user can act on. An error that is neither of the disk
 * nor of the files of the data folder is a defect and is returned unchanged.
 */
export function explainStartFailure(error: unknown, folder: string): unknown {
  if (error instanceof UserError) return error;
  const code = errorCode(error);
  if (isDiskFull(error))
    return new UserError(`The disk of ${folder} is full (${code}). Free some space and start again.`);
  if (isDamage(error)) return new UserError(damageText(folder, error));
  const path = pathOf(error);
  return path?.startsWith(folder)
    ? new UserError(`${path} cannot be used (${code}). Correct it, or start with another --data.`)
    : error;
}

/** The file that an error of the system names. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}
