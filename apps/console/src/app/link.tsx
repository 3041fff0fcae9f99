import type { ComponentChildren } from 'preact';
import { navigate } from './router.js';

interface LinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** The accessible name where it is not the text. */
  readonly label?: string;
  readonly title?: string;
  readonly current?: boolean;
  readonly onGo?: () => void;
}

/** Whether the browser is asked for something else than to go there: another tab, a download. */
const isForBrowser = (event: MouseEvent): boolean =>
  event.defaultPrevented ||
  event.button !== 0 ||
  event.metaKey ||
  event.ctrlKey ||
  event.shiftKey ||
  event.altKey;

/** A link within the console, without loading the page again. */
export function Link({ href, children, class: name, label, title, current, onGo }: LinkProps) {
  return (
    <a
      href={href}
      class={name}
      aria-label={label}
      title={title}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (isForBrowser(event)) return;
        event.preventDefault();
        onGo?.();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}
