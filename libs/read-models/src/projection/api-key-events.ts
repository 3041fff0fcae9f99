import { UnknownEventType, apiKeyEvent } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { ApiKeyRow } from './rows.js';

export type ApiKeyChange =
  | { readonly kind: 'issued'; readonly row: ApiKeyRow }
  | { readonly kind: 'revoked'; readonly id: string; readonly at: number }
  | { readonly kind: 'none' };

/** What an event of an `apikey-` stream changes. @throws UnknownEventType */
export function changeOfKey(event: RecordedEvent): ApiKeyChange {
  const known = apiKeyEvent(event);
  switch (known?.type) {
    case 'api_key_issued': {
      const { id, name, hash, scopes, webhook_secret } = known.data;
      const { project } = event.meta;
      const row = {
        id,
        project,
        name,
        scopes,
        hash,
        webhookSecret: webhook_secret,
        createdAt: event.time,
        revokedAt: null,
      };
      return { kind: 'issued', row };
    }
    case 'api_key_revoked':
      return { kind: 'revoked', id: known.data.id, at: event.time };
    case 'sign_in_link_made':
    case 'sign_in_link_used':
    case 'console_signed_in':
    case 'console_signed_out':
      return { kind: 'none' };
    case undefined:
      throw new UnknownEventType(`no event of an API key is called ${event.type}`);
  }
}
