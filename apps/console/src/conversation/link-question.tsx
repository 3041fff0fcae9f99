import { signal } from '@preact/signals';
import { later } from '../parts/later.js';
import type { LinkDialogProps } from './link-dialog.js';
import type { LinkTarget } from './markdown-nodes.js';

const LinkDialog = later<LinkDialogProps>(async () => (await import('./link-dialog.js')).LinkDialog);

/** The link that somebody is asked about; null: none. */
const asked = signal<LinkTarget | null>(null);

/** Asks before the console is left; the dialog stands in `<LinkQuestion/>`. */
export const askAbout = (target: LinkTarget): void => {
  asked.value = target;
};

/** Stands there while somebody is asked whether to follow a link. */
export function LinkQuestion() {
  const { value: target } = asked;
  return target && <LinkDialog target={target} onClose={() => (asked.value = null)} />;
}
