import { rotateMaster } from '#vault';
import {
  SettingsRefused,
  SystemClock,
  SystemRandom,
  adoptNextMasterKey,
  nextMasterKey,
  openMasterKey,
  readSettings,
} from '#platform';
import { PinoLogger } from '../observability/pino-logger.js';
import { isBegun, openKeyStore, wrappingKey } from '../compose/open-keys.js';

/**
 * `annals rotate-master-key`: wraps all keys with a new master key, while the service runs or stands. The new key is
 * ANNALS_NEW_MASTER_KEY where ANNALS_MASTER_KEY is set; otherwise DATA_DIR's own key is replaced by one that is made here.
 */
export async function run(): Promise<number> {
  const settings = readSettings();
  const { dataDir, masterKey, newMasterKey } = settings;
  if (masterKey !== null && newMasterKey === null)
    throw new SettingsRefused('ANNALS_NEW_MASTER_KEY must be set to what replaces ANNALS_MASTER_KEY');
  if (masterKey === null && newMasterKey !== null)
    throw new SettingsRefused(
      'ANNALS_NEW_MASTER_KEY must be unset: the key of DATA_DIR is replaced by one made here',
    );
  if (!isBegun(settings) && settings.eventstoreUrl === null)
    throw new SettingsRefused('DATA_DIR has no keys yet: nothing is wrapped with a master key');
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new PinoLogger('warn') };
  const old = openMasterKey(dataDir, masterKey, true);
  const store = openKeyStore(settings, ports);
  try {
    await store.prepare();
    const next = newMasterKey ?? nextMasterKey(dataDir);
    const count = await rotateMaster(store, wrappingKey(old), wrappingKey(next));
    if (newMasterKey === null) adoptNextMasterKey(dataDir);
    process.stdout.write(`${count} keys wrapped anew\n`);
    if (newMasterKey !== null)
      process.stdout.write(
        'set ANNALS_MASTER_KEY to the new key before the next start; then the old one is of no use\n',
      );
    return 0;
  } finally {
    await store.close();
  }
}
