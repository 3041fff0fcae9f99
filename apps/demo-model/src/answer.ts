import { solve } from './arithmetic.js';
import type { AnswerPiece, TokenUsage } from './chunks.js';
import { summaryIn } from './conversation-summary.js';
import { type ChatRequest, indexOfTask, textOf } from './chat-request.js';
import { jsonAnswer } from './json-answer.js';
import { NOTICE } from './notice.js';
import { cut, toolReport } from './tool-report.js';
import { isGreeting, type PlannedCall, planCalls, toolResults } from './tool-use.js';
import { stepIn, stepText } from './workflow-step.js';

export interface Answer {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

/** What a system message says where the answers shall be short. */
const BRIEF = /\bbe brief\b/i;

/** The demo model's whole mind: the same request always gets the same answer. */
export function answerTo(request: ChatRequest): Answer {
  const answer = longAnswerTo(request);
  const isBrief = request.messages.some(
    (message) => message.role === 'system' && BRIEF.test(textOf(message)),
  );
  return isBrief ? { ...answer, text: answer.text.replace(NOTICE, '').trim() } : answer;
}

function longAnswerTo(request: ChatRequest): Answer {
  const summary = summaryIn(request);
  if (summary !== undefined) return { thinking: 'A summary is asked for.', text: summary, calls: [] };
  const calls = planCalls(request);
  if (calls.length > 0) {
    const names = [...new Set(calls.map((call) => call.name))].join(' and ');
    return { thinking: `The task asks for ${names}, so I call it.`, text: '', calls };
  }
  const task = textOf(request.messages[indexOfTask(request.messages)]).trim();
  const json = jsonAnswer(request, task);
  if (json !== undefined) return { thinking: 'The answer must have a given form.', text: json, calls: [] };
  const results = toolResults(request);
  if (results.length > 0) {
    const said = results.map(({ name, text }) => toolReport(name, text)).join('\n');
    return { thinking: 'The tools have answered.', text: `${said}\n\n${NOTICE}`, calls: [] };
  }
  return { ...replyTo(task), calls: [] };
}

function replyTo(task: string): { thinking: string; text: string } {
  const step = stepIn(task);
  if (step !== undefined)
    return { thinking: 'A step of a workflow is to be carried out.', text: stepText(step) };
  const sum = solve(task);
  if (sum !== undefined) return { thinking: 'This is a sum that I can work out.', text: `${sum}. ${NOTICE}` };
  if (isGreeting(task))
    return {
      thinking: 'The user greets me, so I greet back and introduce myself.',
      text: `Hello! Nice to meet you. ${NOTICE} I can also do small sums and call tools that a message names or clearly asks for.`,
    };
  return {
    thinking: 'I have no rule for this task, so I say what I understood.',
    text: `You asked me: "${cut(task, 160)}". ${NOTICE}`,
  };
}

/** The answer as pieces: word by word, each call in three. Ids follow from the conversation, so that they repeat too. */
export function piecesOf(answer: Answer, request: ChatRequest): AnswerPiece[] {
  const turn = request.messages.length;
  return [
    ...wordsOf(answer.thinking).map((text) => ({ kind: 'thinking', text }) as const),
    ...wordsOf(answer.text).map((text) => ({ kind: 'text', text }) as const),
    ...answer.calls.flatMap((call, index): AnswerPiece[] => {
      const half = Math.floor(call.arguments.length / 2);
      return [
        { kind: 'call', index, id: `call_${turn}_${index}`, name: call.name, arguments: '' },
        { kind: 'call', index, arguments: call.arguments.slice(0, half) },
        { kind: 'call', index, arguments: call.arguments.slice(half) },
      ];
    }),
  ];
}

export const finishReasonOf = (answer: Answer): string => (answer.calls.length > 0 ? 'tool_calls' : 'stop');

/** Four characters a token, which is about right for English. */
export function usageOf(request: ChatRequest, pieces: readonly AnswerPiece[]): TokenUsage {
  const written = pieces
    .map((piece) => (piece.kind === 'call' ? piece.arguments : piece.text) ?? '')
    .join('');
  return {
    prompt_tokens: tokens(JSON.stringify(request.messages)) + tokens(JSON.stringify(request.tools ?? '')),
    completion_tokens: tokens(written),
  };
}

const tokens = (text: string): number => Math.ceil(text.length / 4);
const wordsOf = (text: string): string[] => text.match(/\s*\S+\s*?(?=\s|$)|\s+$/gu) ?? [];
