import type { RunMetadata } from '#domain';
import type { AskedItem } from './asked-item.js';
import { fieldsOf, listIn, missing } from './fields.js';
import { itemsOf } from './items.js';
import { MOST } from './limits.js';
import { metadataIn } from './metadata.js';
import { refused } from './refusals.js';

/** `POST /v1/conversations`; no body at all is an empty one. @throws Problem naming the field */
export function parseNewConversation(body: unknown): {
  readonly items: readonly AskedItem[];
  readonly metadata: RunMetadata;
} {
  const fields = fieldsOf(body ?? {}, '', { known: ['items', 'metadata'] });
  const items = itemsOf(listIn(fields, 'items', MOST.newItems) ?? [], 'items');
  return { items, metadata: metadataIn(fields) ?? {} };
}

/** `POST /v1/conversations/{id}` @throws Problem naming the field */
export function parseConversationUpdate(body: unknown): RunMetadata {
  const fields = fieldsOf(body ?? {}, '', { known: ['metadata'] });
  return metadataIn(fields) ?? missing(fields, 'metadata');
}

/** `POST /v1/conversations/{id}/items` @throws Problem naming the field */
export function parseAddedItems(body: unknown): readonly AskedItem[] {
  const fields = fieldsOf(body ?? {}, '', { known: ['items'] });
  const values = listIn(fields, 'items', MOST.newItems) ?? missing(fields, 'items');
  if (values.length === 0) throw refused('invalid_value', 'items', 'items: must not be empty');
  return itemsOf(values, 'items');
}
