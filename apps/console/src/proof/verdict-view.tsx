import { type Verdict, factsOf, findingOf, headOf, jsonOf, meaningsOf, neverProved } from '#proof/browser';
import { Bdi } from '../conversation/bdi.js';
import { visible } from '../conversation/visible.js';
import { Shape } from '../parts/icon.js';
import { capitalised, lookOf } from '../parts/status-looks.js';

/** What is said of an export: the verdict, what its level means, what it is of, and what no file can prove. */
export function VerdictView({ of: verdict }: { readonly of: Verdict }) {
  const { shape, tone } = lookOf(verdict.verdict);
  return (
    <>
      <h2 class={`verdict ${tone}`}>
        <Shape name={shape} />
        <bdi>{visible(headline(verdict))}</bdi>
      </h2>
      <VerdictParts of={verdict} />
      <details>
        <summary>As JSON</summary>
        <pre class="note-text">{jsonOf(verdict)}</pre>
      </details>
    </>
  );
}

/** Facts that are ids. */
const MONO: ReadonlySet<string> = new Set(['stream', 'session', 'origin']);

/** Codes keep their underscores. */
function headline(verdict: Verdict): string {
  const head = headOf(verdict);
  return head.charAt(0).toUpperCase() + head.slice(1);
}

/** The same without its headline. */
export function VerdictParts({ of: verdict }: { readonly of: Verdict }) {
  return (
    <>
      <dl class="kv levels">
        {meaningsOf(verdict).map(([level, meaning]) => (
          <div key={level}>
            <dt>{capitalised(level)}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <Findings name="Failures" of={verdict.failures} />
      <Findings name="Warnings" of={verdict.warnings} />
      <dl class="kv">
        {factsOf(verdict).map(([name, value]) => (
          <div key={name}>
            <dt>{capitalised(name)}</dt>
            <dd>
              <Bdi text={value} {...(MONO.has(name) ? { class: 'mono' } : {})} />
            </dd>
          </div>
        ))}
      </dl>
      <h3>Never proved</h3>
      <ul class="dashes">
        {neverProved(verdict).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

/** So many are drawn: a file of strangers may give rise to a thousand. */
const MOST = 100;

function Findings({ name, of }: { readonly name: string; readonly of: Verdict['failures' | 'warnings'] }) {
  if (of.length === 0) return null;
  const more = of.length - MOST;
  return (
    <>
      <h3>{name}</h3>
      <ul class="dashes" aria-label={name}>
        {of.slice(0, MOST).map((finding, n) => (
          <li key={n}>
            <bdi>{visible(findingOf(finding))}</bdi>
          </li>
        ))}
        {more > 0 && <li>{`and ${more} more`}</li>}
      </ul>
    </>
  );
}
