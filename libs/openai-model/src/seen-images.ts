import type { ModelMessage } from '#agent';
import type { RequestForm } from './request-form.js';

type Form = Pick<RequestForm, 'isBlind' | 'withoutImages'>;

/** The messages with the images that the server takes; a message that was there for its images alone goes with them. */
export function seenBy(messages: readonly ModelMessage[], form: Form): readonly ModelMessage[] {
  if (!messages.some((message) => imagesIn(message).length > 0)) return messages;
  return messages.flatMap((message): ModelMessage[] => {
    const all = imagesIn(message);
    if (message.role !== 'user' || all.length === 0) return [message];
    const images = form.isBlind ? [] : all.filter(({ id }) => !form.withoutImages.has(id));
    if (images.length === 0) return [];
    return images.length === all.length ? [message] : [{ ...message, images }];
  });
}

/** Ids of the images that go with a request. */
export const idsOfImages = (messages: readonly ModelMessage[], form: Form): readonly string[] =>
  seenBy(messages, form).flatMap((message) => imagesIn(message).map(({ id }) => id));

/** Ids of the images that do not. */
export function unseenBy(messages: readonly ModelMessage[], form: Form): readonly string[] {
  const ids = messages.flatMap((message) => imagesIn(message).map(({ id }) => id));
  return form.isBlind ? ids : ids.filter((id) => form.withoutImages.has(id));
}

const imagesIn = (message: ModelMessage) => (message.role === 'user' ? (message.images ?? []) : []);
