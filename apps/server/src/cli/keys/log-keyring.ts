import { ApiKeys, type Principal, ROOT_KEY_ID } from '#access';
import { ProcessBackground, type Settings, SystemClock, SystemRandom, closeInOrder } from '#platform';
import { PinoLogger } from '../../observability/pino-logger.js';
import { openSealed } from '../../compose/open-keys.js';
import { requireLog } from '../../compose/open-log.js';
import { validated } from '../../edge/validation/validate.js';
import { NewApiKeyDto, newKeyOf } from '../../features/keys/api-key.dto.js';
import { issuedKeyView, keyView } from '../../features/keys/key-views.js';
import type { KeyWish, Keyring, ListedKey, MadeKey } from './keyring.js';

const PAGE = 200;

/** Whoever has the log and its keys may do what the first admin key may. */
const ROOT: Principal = {
  keyId: ROOT_KEY_ID,
  project: 'default',
  scopes: new Set(['admin']),
  isRoot: true,
};

/** The keys as the log has them, while no service runs on it. When keys were last used is not known of it. */
export class LogKeyring implements Keyring {
  private constructor(
    private readonly keys: ApiKeys,
    readonly close: () => Promise<void>,
  ) {}

  /** @throws SettingsRefused, LogRefused: also where another process has the log */
  static async open(settings: Settings): Promise<LogKeyring> {
    requireLog(settings);
    const logger = new PinoLogger('warn');
    const ports = { clock: new SystemClock(), random: new SystemRandom(), logger };
    const { log, box, close } = await openSealed(settings, ports);
    const stopping = new AbortController();
    const closeAll = (): Promise<void> => closeInOrder(() => stopping.abort(), close);
    try {
      const background = new ProcessBackground(logger);
      const keys = new ApiKeys({ log, box, background, ...ports }, settings);
      await keys.start(stopping.signal);
      return new LogKeyring(keys, closeAll);
    } catch (error) {
      await closeAll();
      throw error;
    }
  }

  async create(body: KeyWish): Promise<MadeKey> {
    return issuedKeyView(await this.keys.issue(ROOT, newKeyOf(validated(NewApiKeyDto, body))));
  }

  async list(): Promise<readonly ListedKey[]> {
    const records = [];
    let cursor: string | undefined;
    do {
      const { items, next_cursor } = this.keys.list(ROOT, PAGE, cursor);
      records.push(...items);
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
    return records.map((record) => keyView(record, null));
  }

  async revoke(id: string, keepsTasks: boolean): Promise<void> {
    await this.keys.revoke(ROOT, id, { keepsTasks });
  }
}
