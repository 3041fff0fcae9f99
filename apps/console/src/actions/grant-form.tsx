import { useState } from 'preact/hooks';
import { Button, Field } from '../parts/controls.js';
import { type Decidable, wordsOf } from './decidable.js';
import type { Decision } from './decisions.js';
import { sendable } from './input-form.js';

interface GrantFormProps {
  readonly action: Decidable;
  readonly isSending: boolean;
  readonly onSend: (decision: Decision) => void;
}

/** What closes an action besides a denial, where that needs something to be typed. */
export function GrantForm({ action, isSending, onSend }: GrantFormProps) {
  const [text, setText] = useState(() => beginningOf(action));
  const [wrong, setWrong] = useState<string | null>(null);
  const { label, hint, button, rows } = formOf(action);
  const submit = (event: Event): void => {
    event.preventDefault();
    try {
      setWrong(null);
      onSend(decisionOf(action, text));
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="grant" onSubmit={submit}>
      <Field label={label} hint={hint} error={wrong}>
        {(id, describedBy) =>
          rows === 1 ? (
            <input
              id={id}
              inputMode="decimal"
              aria-describedby={describedBy}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          ) : (
            <textarea
              id={id}
              rows={rows}
              class={action.kind === 'tool_servers' ? 'mono' : undefined}
              aria-describedby={describedBy}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )
        }
      </Field>
      <Button type="submit" kind="pri" small disabled={isSending}>
        {button}
      </Button>
    </form>
  );
}

function formOf({ kind, asked }: Decidable) {
  if (kind === 'budget')
    return {
      label: 'New limit',
      hint: `US dollars for the whole run, more than the ${wordsOf(asked['spent'])} that is spent.`,
      button: 'Raise',
      rows: 1,
    };
  if (kind === 'tool_servers')
    return {
      label: 'Tool servers as JSON',
      hint: 'The same servers as the request had, with their credentials. They are kept in memory only.',
      button: 'Send servers',
      rows: 6,
    };
  return {
    label: 'Result',
    hint:
      kind === 'input'
        ? 'JSON, as the tool asks for it; nothing, where it asks for a visit.'
        : 'JSON, or text as it is.',
    button: 'Send answer',
    rows: 4,
  };
}

function beginningOf({ kind, asked }: Decidable): string {
  if (kind !== 'tool_servers') return '';
  const names = Array.isArray(asked['servers']) ? (asked['servers'] as readonly unknown[]) : [];
  const servers = names.map((serverName) => ({ serverName, serverUrl: '' }));
  return JSON.stringify(servers, null, 2);
}

/** @throws SyntaxError where JSON is needed and is not there */
function decisionOf({ kind }: Decidable, text: string): Decision {
  if (kind === 'budget') return { decision: 'raise', budget: text.trim() };
  if (kind === 'tool_servers') return { decision: 'supply', mcp_servers: JSON.parse(text) as unknown };
  if (kind === 'input' && text.trim() === '') return { decision: 'answer' };
  return { decision: 'answer', result: kind === 'input' ? sendable(text) : jsonOrText(text) };
}

function jsonOrText(text: string): unknown {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return sendable(text);
}
