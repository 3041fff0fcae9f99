import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { SettingsRefused } from './settings.js';

const USUAL = '.env';

/**
 * Loads variables from the file `ENV_FILE`, or from `.env` in the working folder if there is one. Variables
 * that are set already win.
 * @throws SettingsRefused where the file named by `ENV_FILE` cannot be read
 */
export function readEnvFile(env: { readonly ENV_FILE?: string } = process.env): void {
  const named = env.ENV_FILE?.trim() || null;
  if (named === null && !existsSync(USUAL)) return;
  try {
    loadEnvFile(named ?? USUAL);
  } catch (error) {
    const name = named === null ? USUAL : 'ENV_FILE';
    throw new SettingsRefused(
      `${name} must be a file of variables: ${(error as NodeJS.ErrnoException).code}`,
      {
        cause: error,
      },
    );
  }
}
