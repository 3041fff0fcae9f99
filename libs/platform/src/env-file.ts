import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { SettingsRefused } from './settings.js';

const USUAL = '.env';

/**
 * Takes variables from `ENV_FILE`, or from `.env` of the working folder where there is one. What is set already is kept.
 * @throws SettingsRefused where the file that is named cannot be read
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
