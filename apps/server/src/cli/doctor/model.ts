import type { Settings } from '#platform';
import { ask } from '../service-address.js';
import { type Finding, fault, ok, warning } from './finding.js';

/** What of another server was heard. */
export interface Heard {
  readonly finding: Finding;
  /** Its clock, ms since 1970; null: it did not tell. */
  readonly time: number | null;
}

/** Whether the model's server answers, takes the key and has the models. Asks for its list, which costs nothing. */
export async function checkModel({ openai, models }: Pick<Settings, 'openai' | 'models'>): Promise<Heard> {
  if (openai === null)
    return {
      finding: ok('model', 'the built-in demo model; OPENAI_BASE_URL brings a real one'),
      time: null,
    };
  const { baseUrl, apiKey } = openai;
  const answer = await ask(`${baseUrl}/models`, apiKey === null ? {} : { authorization: `Bearer ${apiKey}` });
  // Without what the URL may hold of a password.
  const where = new URL(baseUrl).host;
  if (answer === null)
    return {
      finding: fault('model', `${where} does not answer`, 'see whether OPENAI_BASE_URL is right and up'),
      time: null,
    };
  return { finding: judged(where, answer.status, answer.text, models), time: answer.date };
}

function judged(where: string, status: number, text: string, models: Settings['models']): Finding {
  if (status === 401 || status === 403)
    return fault('model', `${where} refuses the key (${status})`, 'set OPENAI_API_KEY to one that it takes');
  if (status !== 200)
    return warning(
      'model',
      `${where} answers, but not with its models (${status})`,
      'some servers have no list; start a run to see',
    );
  const listed = new Set(idsIn(text));
  const missing = [...new Set(Object.values(models))].filter((model) => !listed.has(model));
  if (listed.size === 0 || missing.length === 0) return ok('model', `${where} answers`);
  const advice = 'set MODEL_FLASH, MODEL_BASE and MODEL_MAX to models that it has';
  return warning('model', `${where} does not list ${missing.join(', ')}`, advice);
}

function idsIn(text: string): string[] {
  try {
    const { data } = JSON.parse(text) as { readonly data?: readonly { readonly id?: unknown }[] };
    return (data ?? []).map(({ id }) => String(id));
  } catch {
    return [];
  }
}
