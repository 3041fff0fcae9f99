import { Button, Copy } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Bdi } from './bdi.js';
import type { LinkTarget } from './markdown-nodes.js';

export interface LinkDialogProps {
  readonly target: LinkTarget;
  readonly onClose: () => void;
}

/** "Open this link?", with the host that it really leads to. */
export function LinkDialog({ target, onClose: close }: LinkDialogProps) {
  const isMail = target.href.startsWith('mailto:');
  return (
    <Dialog title="Open link" onClose={close}>
      <p>
        {isMail
          ? 'Somebody else wrote this link. It begins a mail to'
          : 'Somebody else wrote this link. It leads to'}
      </p>
      <p class="true-host">
        <Bdi text={target.host} />
      </p>
      <p class="true-href">
        <Bdi text={target.href} />
      </p>
      <div class="do end">
        <Copy text={target.href} kind="ghost">
          Copy link
        </Copy>
        <Button onClick={close}>Stay here</Button>
        <a class="btn pri" href={target.href} target="_blank" rel="noreferrer noopener" onClick={close}>
          Open link
        </a>
      </div>
    </Dialog>
  );
}
