import { type RecordedSessionEvent, type RunConfig, isFileRef } from '#domain/browser';
import type { ComponentChildren } from 'preact';
import { Link } from '../app/link.js';
import { sessionPath } from '../lists/path.js';
import { money } from '../parts/format.js';
import { Said } from '../parts/values.js';
import { taskPath } from '../tasks/task.js';

type Request = Extract<RecordedSessionEvent, { type: 'run_requested' }>;

interface RunSettingsProps {
  readonly request: Request;
  readonly session: string;
}

/** What the run was given. */
export function RunSettings({ request, session }: RunSettingsProps) {
  const { config, message, mode, model, task, callback } = request.data;
  const known = isFileRef(config) ? null : config;
  return (
    <dl class="settings">
      <Setting name="Message">
        {isFileRef(message) ? <InLog session={session} at={request.revision} /> : <Long text={message} />}
      </Setting>
      <Setting name="Mode">{mode}</Setting>
      <Setting name="Model">
        <Said text={model} />
      </Setting>
      {task !== undefined && (
        <Setting name="Task">
          <Link href={taskPath(task)} class="mono">
            {task}
          </Link>
        </Setting>
      )}
      <Setting name="Callback">{callback === undefined ? null : 'yes, sealed: see Deliveries'}</Setting>
      {known === null ? (
        <Setting name="More">
          <InLog session={session} at={request.revision} />
        </Setting>
      ) : (
        <ConfigSettings of={known} />
      )}
    </dl>
  );
}

const names = (list: readonly string[] | undefined): string | null =>
  list === undefined || list.length === 0 ? null : list.join(', ');

function ConfigSettings({ of }: { readonly of: RunConfig }) {
  const pairs = Object.entries(of.metadata ?? {}).map(([key, value]) => `${key}: ${value}`);
  const lists: readonly (readonly [string, string | null])[] = [
    ['Tool servers', names(of.mcp_servers)],
    ['Tools of the caller', names(of.tools?.map(({ name }) => name))],
    ['Agents', names(of.agents?.map(({ name }) => name))],
    ['Workflows', names(of.workflows?.map(({ name }) => name))],
    ['Final output', of.final_output?.name ?? null],
    ['Budget', of.budget === undefined ? null : money(of.budget)],
    ['Metadata', names(pairs)],
    ['Token by token', of.streaming_tokens === true ? 'yes' : null],
  ];
  return (
    <>
      {lists.map(
        ([name, text]) =>
          text !== null && (
            <Setting key={name} name={name}>
              <Said text={text} />
            </Setting>
          ),
      )}
      {of.approvals !== undefined && (
        <Setting name="Approvals">
          <Long text={JSON.stringify(of.approvals, null, 2)} isCode />
        </Setting>
      )}
      {of.system !== undefined && (
        <Setting name="System prompt">
          <Long text={of.system} />
        </Setting>
      )}
      {of.rules !== undefined && of.rules.length > 0 && (
        <Setting name="Rules">
          <Long text={of.rules.join('\n')} />
        </Setting>
      )}
    </>
  );
}

const Setting = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) =>
  children === null ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );

/** Text that is shown at once. */
const SHORT = 400;
const MOST = 20_000;

/** A text of others; a long one is folded, and one that is very long shows its beginning. */
export function Long({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }) {
  const name = isCode ? 'pre mono' : 'pre';
  if (text.length <= SHORT) return <Said text={text} class={name} />;
  return (
    <details>
      <summary>
        <Said text={`${text.slice(0, 120)}…`} />
      </summary>
      <Said text={text.length > MOST ? `${text.slice(0, MOST)}…` : text} class={name} />
    </details>
  );
}

const InLog = ({ session, at }: { readonly session: string; readonly at: number }) => (
  <>
    too long for here, <Link href={sessionPath(session, at)}>see event {at}</Link>
  </>
);
