import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { visible } from '../conversation/visible.js';

interface PageHeadProps {
  /** The h1, and the title of the tab. */
  readonly title: string;
  /** Shown instead of the title's text, such as a `<Said/>`. */
  readonly children?: ComponentChildren;
  readonly crumb?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly facts?: ComponentChildren;
}

/** The head of a page. Its h1 takes the focus after a navigation, so it is there from the first paint on. */
export function PageHead({ title, children, crumb, actions, facts }: PageHeadProps) {
  useEffect(() => {
    document.title = `${visible(title)} · Annals`;
  }, [title]);
  return (
    <header class="head">
      {crumb !== undefined && <div class="crumb">{crumb}</div>}
      <div class="title">
        <h1 tabIndex={-1}>{children ?? title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {facts !== undefined && <div class="facts">{facts}</div>}
    </header>
  );
}
