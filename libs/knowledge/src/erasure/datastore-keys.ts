import { ContentErased, type ContentKeys } from '#event-log';
import type { SecretBox } from '#platform';

/** What connection strings are sealed for. */
const contextOf = (datastore: string): string => `datastore:${datastore}:connection`;

/** How a text begins that a datastore's key has sealed: then come the key's id and the bytes in base64url. */
const OWN = 'k1';

/** The keys of datastores and of the documents in them, and what is sealed with them beside events. */
export class DatastoreKeys {
  constructor(
    private readonly keys: ContentKeys,
    /** Of the whole installation: in older versions it sealed connection strings. */
    private readonly box: SecretBox,
  ) {}

  /** Id of a key for a datastore. @throws LogUnavailable */
  draw(): Promise<string> {
    return this.keys.draw();
  }

  /** Id of a key for a document, which goes with that of its datastore. @throws ContentErased, LogUnavailable */
  async drawBelow(parent: string): Promise<string> {
    const id = await this.keys.draw();
    await this.keys.placeBelow(id, parent);
    return id;
  }

  /** A connection string as it may stand in an event. @throws ContentErased, LogUnavailable */
  async seal(datastore: string, key: string, connection: string): Promise<string> {
    const sealed = (await this.get(key)).seal(connection, contextOf(datastore));
    return [OWN, key, sealed.toString('base64url')].join('.');
  }

  /** @throws ContentErased, LogUnavailable; ContentChanged, SealBroken */
  async open(datastore: string, sealed: string): Promise<string> {
    if (!isOwnSeal(sealed)) return this.box.open(sealed, contextOf(datastore));
    const [, key = '', bytes = ''] = sealed.split('.');
    return (await this.get(key)).open(Buffer.from(bytes, 'base64url'), contextOf(datastore)).toString();
  }

  private async get(id: string) {
    const key = await this.keys.get(id);
    if (key === 'destroyed') throw new ContentErased(`what the key ${id} sealed is erased`);
    return key;
  }
}

/** Whether the datastore's own key has sealed it. */
export const isOwnSeal = (sealed: string): boolean => sealed.startsWith(`${OWN}.`);
