import type { Content } from '#domain/browser';
import { isFileRef } from '#domain/browser';
import type { Text } from '../conversation/items.js';
import type { SessionModel } from './model.js';

/** A content as the views of texts take it: where it lies in a file, with the event that it can be asked of. */
export function textOf(model: SessionModel, content: Content): Text {
  if (!isFileRef(content)) return [content];
  const { $file: file, bytes, session } = content;
  const isIn = ({ line: { text = '' } }: { readonly line: { readonly text?: string } }): boolean =>
    text.includes(file);
  if (session === undefined || session === model.store.session) {
    return [{ event: model.store.events.find(isIn)?.id ?? -1, bytes }];
  }
  const ancestor = model.ancestors.value.find((of) => of.session === session);
  return [{ event: ancestor?.events.find(isIn)?.id ?? -1, bytes, session }];
}
