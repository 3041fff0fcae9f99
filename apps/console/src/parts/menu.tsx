import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.js';
import type { IconName } from './sprite.js';

export interface MenuItem {
  readonly name: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  /** The button's name. */
  readonly label: string;
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
  readonly items: readonly MenuItem[];
}

const GAP = 4;

/** A button that opens a list of actions. Arrow keys go through it; Escape and a press elsewhere close it. */
export function Menu({ label, icon = 'dots', children, items }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const onToggle = (event: { readonly newState: string }): void => {
    const isNow = event.newState === 'open';
    setOpen(isNow);
    const [from, box] = [button.current, list.current];
    if (!isNow || from === null || box === null) return;
    const { bottom, right } = from.getBoundingClientRect();
    box.style.top = `${bottom + GAP}px`;
    box.style.right = `${Math.max(GAP, document.documentElement.clientWidth - right)}px`;
    box.querySelector('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[to % all.length]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={children === undefined ? 'btn ghost sq' : 'btn'}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popovertarget={id}
      >
        <Icon name={icon} />
        {children}
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        onToggle={onToggle}
        onKeyDown={onKeyDown}
      >
        {items.map((item) => (
          <Entry key={item.name} item={item} onDone={() => list.current?.hidePopover()} />
        ))}
      </div>
    </>
  );
}

function Entry({ item, onDone }: { readonly item: MenuItem; readonly onDone: () => void }) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      class={item.danger ? 'bad-text' : undefined}
      onClick={() => {
        onDone();
        item.onSelect();
      }}
    >
      {item.icon !== undefined && <Icon name={item.icon} />}
      {item.name}
    </button>
  );
}
