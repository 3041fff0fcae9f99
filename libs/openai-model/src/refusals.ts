import type { ModelParameter } from '#platform';
import type { ModelRequest } from '#agent';
import { effortInstead } from './effort-values.js';
import { inStrictOrder } from './plain-messages.js';
import { type RequestForm, withLevel, withMore } from './request-form.js';
import { type SentMessage, namesOfFields } from './sent-message.js';
import { idsOfImages } from './seen-images.js';
import { toolsNamed } from './tool-refusals.js';

/** A request that was refused. */
export interface Refused {
  readonly request: ModelRequest;
  readonly form: RequestForm;
  /** As they were sent. */
  readonly messages: readonly SentMessage[];
  /** All that the server said, and the sentence in it. */
  readonly words: string;
  readonly message: string;
}

/** What the server does not take, or misses; null: the refusal is about something else. */
type Lesson = (refused: Refused) => Partial<RequestForm> | null;

const REFUSES =
  /not (supported|permitted|allowed|accepted|valid|recogni[sz]ed)|unsupported|extra (inputs?|fields?)|unexpected|unknown|unrecogni[sz]ed|additional propert|invalid|forbidden/i;
const MISSES =
  /missing|without (its|an?)\b|required|must (be|have|contain|include)|has to|not (found|provided|passed)|absent/i;

/** A field of theirs that they do not take back. */
const fieldRefused: Lesson = ({ form, messages, words }) => {
  if (!REFUSES.test(words) || MISSES.test(words)) return null;
  const names = [...namesOfFields(messages)].filter((name) => isNamed(words, name));
  return names.length === 0 ? null : { withoutFields: withMore(form.withoutFields, ...names) };
};

/** What of an answer has to come back is not there: the answer was of another model. */
const fieldMissing: Lesson = ({ form, messages, words }) => {
  if (!MISSES.test(words) || !messages.some(({ role }) => role === 'assistant')) return null;
  for (const [fill, about] of [
    ['reasoning_content', /\breasoning_content\b/],
    ['thought_signature', /thought[ _-]?signature/i],
  ] as const)
    if (about.test(words) && !form.fills.has(fill)) return { fills: withMore(form.fills, fill) };
  return null;
};

const streamOptions: Lesson = ({ form, words }) =>
  form.omit.has('stream_options') || !/stream[_ -]?options|include_usage/i.test(words)
    ? null
    : without(form, 'stream_options');

const toolChoice: Lesson = ({ request, form, words }) => {
  if (form.omit.has('tool_choice') || !/tool[_ -]?choice/i.test(words)) return null;
  if (request.forcedTool !== undefined) return form.isRequired ? null : { isRequired: true };
  // `none`, where calls stand in the history and there are no tools, or none is to be called.
  const isNone = request.tools.length === 0 || request.toolChoice === 'none';
  return isNone ? without(form, 'tool_choice') : null;
};

const effort: Lesson = ({ request: { reasoningEffort: asked, responseFormat }, form, words, message }) => {
  if (asked === undefined || form.omit.has('reasoning_effort')) return null;
  const isNamedSo = /reasoning[_ .]?effort/.test(words);
  if (!isNamedSo && (!/reasoning|thinking|\beffort\b/i.test(words) || aboutOther(words, responseFormat)))
    return null;
  const instead = asked in form.efforts ? undefined : effortInstead(message, asked);
  if (instead !== undefined) return { efforts: { ...form.efforts, [asked]: instead } };
  return without(form, 'reasoning_effort');
};

/** What does not go with thinking is not the thinking. */
const aboutOther = (words: string, format: object | undefined): boolean =>
  /tool[_ -]?choice/i.test(words) ||
  (format !== undefined && /response[_ -]?format|json[_ -]?schema/i.test(words));

const NO_TOOLS =
  /\b(tools|functions|function[ _-]call(s|ing)|tool[ _-](use|calls|calling))\b[^.]{0,30}\bnot (supported|available|enabled)|\bno (endpoints?|providers?)\b[^.]{0,30}\bsupport[^.]{0,20}\btool use\b|(not|n't) support[^.]{0,20}\b(tools|functions?|tool (use|calls|calling))\b(?! [a-z]* ?(schema|param))/i;
/** What a number is the most of stands before it, or behind it. */
const MOST = [
  /(?:max|at most|up to|limit|no more than|more than|exceed|only|fewer than|less than)\D{0,50}(\d{1,5})\b/i,
  /\b(\d{1,5})\D{0,30}(?:max|at most|limit|allowed|or fewer)/i,
];

const toolCount: Lesson = ({ request, form, words }) => {
  const count = Math.min(request.tools.length, form.maxTools);
  if (count === 0 || /tool[_ -]?choice/i.test(words)) return null;
  if (NO_TOOLS.test(words)) return { maxTools: 0 };
  if (!/\btools?\b|functions?\b|declarations/i.test(words)) return null;
  const most = Number(MOST.map((pattern) => pattern.exec(words)?.[1]).find((found) => found) ?? 0);
  return most > 0 && most < count ? { maxTools: most } : null;
};

/** `response_format` and tools at once. */
const formatAlone: Lesson = ({ request, form, messages, words }) =>
  request.responseFormat !== undefined &&
  !form.isFormatAlone &&
  messages.some(({ role }) => role === 'tool') &&
  /\btools?\b|function/i.test(words)
    ? { isFormatAlone: true }
    : null;

/** The tools whose schema is at fault, where they are named. */
const toolSchema: Lesson = ({ request, form, words }) => {
  const found = toolsNamed(request, form, words);
  return found === null ? null : { plain: withLevel(form.plain, found.keys, found.level) };
};

const ids: Lesson = ({ form, words, messages }) => {
  const hasCalls = messages.some(({ role }) => role === 'tool');
  const isAbout =
    /(call|tool|tool_use)[^a-z]{0,6}ids?\b[^.]{0,200}(alphanumeric|length|a-z|pattern|match|too long|maximum)/i.test(
      words,
    ) || /(tool_calls?|tool_use)[\w.[\]]{0,20}[._]id\b/i.test(words);
  return hasCalls && isAbout && !form.hasShortIds ? { hasShortIds: true } : null;
};

const ABOUT_ORDER =
  /alternat|take turns|in turn|consecutive|in a row|roles?\b|same role|successive|adjacent|one after|single tool|\border\b|sequence|immediately|(user|assistant|tool|message)[^.]{0,60}\b(after|before|follow|preced)|jinja|template/i;

/** A template that knows of no calls counts a result for a message in the wrong place. */
const ABOUT_ROLES = /alternat|take turns|\broles?\b/i;

const order: Lesson = ({ request: { messages }, form, messages: sent, words }) => {
  if (!ABOUT_ORDER.test(words) || isOfSchema(words)) return null;
  const hasCalls = sent.some(({ role }) => role === 'tool');
  const mayBeInWords = hasCalls && !form.isInWords && ABOUT_ROLES.test(words);
  if (form.isStrictOrder) return mayBeInWords ? { isInWords: true } : null;
  const strict = inStrictOrder(messages);
  const isOther = strict.length !== messages.length || strict.some((message, at) => message !== messages[at]);
  if (isOther) return { isStrictOrder: true };
  return mayBeInWords ? { isStrictOrder: true, isInWords: true } : null;
};

/** A template is what a server makes a grammar for, too. */
const isOfSchema = (words: string): boolean => /json.?schema/i.test(words) && !/jinja|roles?\b/i.test(words);

/** The one image, or how many there are, is at fault. */
const ABOUT_IMAGE =
  /(invalid|unsupported|corrupt|broken|damaged|malformed|unreadable)[^.]{0,30}\bimages?\b(?! (input|content type))|\bimages?\b[^.]{0,60}(too (large|big|small|many)|exceed|dimension|pixels|could not be|failed to|cannot be|bytes|at most|limit|corrupt|format)|(could not|cannot|failed to|unable to)[^.]{0,30}\bimages?\b|at most \d+ images?/i;
const ABOUT_SIGHT =
  /\bimages?\b|image_url|\bvision\b|multi-?modal|mmproj|\bcontent\b.{0,60}\b(string|text|str)\b|\b(string|text)\b.{0,60}\bcontent\b|unknown variant|content[ _-]?(type|part)s?\b/i;

const images: Lesson = ({ request: { messages }, form, words }) => {
  const ids = idsOfImages(messages, form);
  if (ids.length === 0) return null;
  if (ABOUT_IMAGE.test(words)) return { withoutImages: withMore(form.withoutImages, ...ids) };
  return ABOUT_SIGHT.test(words) ? { isBlind: true } : null;
};

/** What is most surely named first. */
const LESSONS: readonly Lesson[] = [
  images,
  fieldRefused,
  fieldMissing,
  streamOptions,
  toolChoice,
  effort,
  toolCount,
  formatAlone,
  toolSchema,
  ids,
  order,
];

/** How to ask instead; null: the refusal names nothing that can be avoided, or it was avoided in vain. */
export function lessonOf(refused: Refused): Partial<RequestForm> | null {
  for (const lesson of LESSONS) {
    const change = lesson(refused);
    if (change !== null) return change;
  }
  return null;
}

const without = ({ omit }: RequestForm, name: ModelParameter) => ({ omit: withMore(omit, name) });

/** As a word of its own. */
export const isNamed = (words: string, name: string): boolean =>
  name !== '' && new RegExp(`(?<![\\w-])${name.replaceAll(/[^\w]/g, String.raw`\$&`)}(?![\\w-])`).test(words);
