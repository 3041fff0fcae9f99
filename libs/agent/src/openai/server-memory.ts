import type { ModelParameter } from '#platform';
import type { ModelFailure, ModelRequest } from '../model-client.js';
import { inStrictOrder } from './plain-messages.js';

/** How a request is written for a server and a model. */
export interface RequestForm {
  readonly omit: ReadonlySet<ModelParameter>;
  readonly isStrictOrder: boolean;
  /** Answers of the model begin inside of thinking. */
  readonly beginsInside: boolean;
}

const PLAIN: RequestForm = { omit: new Set(), isStrictOrder: false, beginsInside: false };
const maxModels = 200;
/** About who asks, how often and for which model: not about how it is asked. */
const notOfForm = new Set([401, 402, 403, 408, 409, 429]);
const ABOUT: readonly (readonly [name: ModelParameter, words: RegExp])[] = [
  ['stream_options', /stream[_ -]?options|include_usage/i],
  ['reasoning_effort', /reasoning|thinking|\beffort\b/i],
];
const ABOUT_ORDER =
  /alternat|take turns|in turn|consecutive|in a row|roles?\b|same role|successive|adjacent|one after|single tool|\border\b|sequence|immediately|(user|assistant|tool|message)[^.]{0,60}\b(after|before|follow|preced)|jinja|template/i;

/**
 * What a server does not take from us, by model: learnt from its refusals, so that it is asked in another way at once and
 * from then on. In memory; owns the forms of at most 200 models.
 */
export class ServerMemory {
  private readonly forms = new Map<string, RequestForm>();

  formFor(model: string): RequestForm {
    return this.forms.get(model) ?? PLAIN;
  }

  /** How a request is written: as the model wants it, and without what is not to be sent. */
  formOf({ model, omit = [] }: ModelRequest): RequestForm {
    const form = this.formFor(model);
    return omit.length === 0 ? form : { ...form, omit: new Set([...form.omit, ...omit]) };
  }

  change(model: string, change: Partial<RequestForm>): void {
    const form = { ...this.formFor(model), ...change };
    this.forms.delete(model);
    this.forms.set(model, form);
    const [oldest] = this.forms.keys();
    if (this.forms.size > maxModels && oldest !== undefined) this.forms.delete(oldest);
  }

  /**
   * Learns from a refusal of a request that was written in `form`. Whether it names what can be avoided, so that it is
   * worth asking once more.
   */
  learn(request: ModelRequest, form: RequestForm, { kind, said }: ModelFailure): boolean {
    if (said === undefined || kind === 'too_long' || notOfForm.has(said.status)) return false;
    const words = `${said.words.param} ${said.words.code} ${said.words.message}`;
    for (const [name, about] of ABOUT) {
      const isSent =
        !form.omit.has(name) && (name !== 'reasoning_effort' || request.reasoningEffort !== undefined);
      if (!isSent || !(words.includes(name) || about.test(words))) continue;
      this.change(request.model, { omit: new Set([...this.formFor(request.model).omit, name]) });
      return true;
    }
    if (form.isStrictOrder || !ABOUT_ORDER.test(words) || !isOtherwiseOrdered(request)) return false;
    this.change(request.model, { isStrictOrder: true });
    return true;
  }
}

function isOtherwiseOrdered({ messages }: ModelRequest): boolean {
  const strict = inStrictOrder(messages);
  return strict.length !== messages.length || strict.some((message, at) => message !== messages[at]);
}
