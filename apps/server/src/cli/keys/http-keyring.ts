import { CommandRefused } from '../command.js';
import type { KeyWish, Keyring, ListedKey, MadeKey } from './keyring.js';

interface Page {
  readonly items: readonly ListedKey[];
  readonly next_cursor: string | null;
}

/** The keys of a running service, through its interface and with a key of it. */
export class HttpKeyring implements Keyring {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  async create(wish: KeyWish): Promise<MadeKey> {
    return JSON.parse(await this.call('POST', '/api-keys', wish)) as MadeKey;
  }

  async list(): Promise<readonly ListedKey[]> {
    const keys: ListedKey[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const mark: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = JSON.parse(await this.call('GET', `/api-keys?limit=200${mark}`)) as Page;
      keys.push(...page.items);
      cursor = page.next_cursor;
    }
    return keys;
  }

  async revoke(id: string, keepsTasks: boolean): Promise<void> {
    await this.call('DELETE', `/api-keys/${encodeURIComponent(id)}${keepsTasks ? '?tasks=keep' : ''}`);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async call(method: string, path: string, body?: object): Promise<string> {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${this.url}${path}`, { method, headers, ...sent }).catch((error: unknown) => {
      throw new CommandRefused(`the service at ${this.url} did not answer`, { cause: error });
    });
    const text = await answer.text();
    if (answer.ok) return text;
    throw new CommandRefused(`the service refuses it (${answer.status}): ${detailOf(text)}`);
  }
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return String(detail);
  } catch {
    return 'it does not say why';
  }
}
