import type { Settings } from '#platform';
import { CommandRefused } from '../command.js';
import { isServiceAt, serviceUrl } from '../service-address.js';
import { HttpKeyring } from './http-keyring.js';
import { LogKeyring } from './log-keyring.js';
import type { Keyring } from './keyring.js';

/**
 * Of a running service through its interface, so that it is the service that writes; of one that stands still on the log
 * itself, which nobody else has then: the embedded log takes one process.
 * @throws CommandRefused, SettingsRefused, LogRefused
 */
export async function openKeyring(
  settings: Settings,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Keyring> {
  const { url, isNamed } = serviceUrl(settings, env);
  if (await isServiceAt(url)) {
    const key = env['ANNALS_KEY']?.trim() || settings.adminKey;
    if (key !== null) return new HttpKeyring(url, key);
    throw new CommandRefused(`the service runs at ${url}: ANNALS_KEY must be set to an admin key of it`);
  }
  if (isNamed) throw new CommandRefused(`ANNALS_URL must lead to the service: none answers at ${url}`);
  return LogKeyring.open(settings);
}

/** Opens the keys that the environment means, does something with them, and closes them. */
export async function withKeyring<T>(settings: Settings, use: (keys: Keyring) => Promise<T>): Promise<T> {
  const keys = await openKeyring(settings);
  try {
    return await use(keys);
  } finally {
    await keys.close();
  }
}
