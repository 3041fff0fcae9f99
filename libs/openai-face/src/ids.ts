import type { ActionId, Revision, RunId, SessionId } from '#domain';

/** A response is the n-th passage of a run, from 1. */
export interface ResponsePlace {
  readonly session: SessionId;
  readonly run: RunId;
  readonly passage: number;
}

export const responseId = (run: RunId, passage: number): string => `resp_${ownPartOf(run)}_${passage}`;

const RESPONSE = /^resp_([A-Za-z0-9]{1,100})_([A-Za-z0-9]{1,100})_([1-9][0-9]{0,8})$/;

/** null: no response has such an id. */
export function placeOfResponse(id: string): ResponsePlace | null {
  const found = RESPONSE.exec(id);
  if (found === null) return null;
  const session: SessionId = `ses_${found[1]}`;
  return { session, run: `run_${session}_${found[2]}`, passage: Number(found[3]) };
}

export const conversationId = (session: SessionId): string => `conv_${session.slice('ses_'.length)}`;

const CONVERSATION = /^conv_([A-Za-z0-9]{1,100})$/;

/** null: no conversation has such an id. */
export function sessionOfConversation(id: string): SessionId | null {
  const found = CONVERSATION.exec(id);
  return found === null ? null : `ses_${found[1]}`;
}

export const completionId = (run: RunId): string => `chatcmpl-${ownPartOf(run)}`;

export type ItemPrefix = 'msg' | 'rs' | 'fc' | 'call' | 'mcp' | 'fco' | 'mcpa';

/** Of what an event of a session says; `at` its place among several. */
export const itemId = (prefix: ItemPrefix, session: SessionId, event: Revision, at?: number): string =>
  `${prefix}_${session.slice('ses_'.length)}_${event}${at === undefined ? '' : `_${at}`}`;

const ITEM = /^(msg|rs|fc|fco|call|mcp|mcpa)_([A-Za-z0-9]{1,100})_[0-9]{1,15}(?:_[0-9]{1,6})?$/;
const REQUEST = /^mcpr_act_(ses_[A-Za-z0-9]{1,100})_[A-Za-z0-9]{1,100}$/;

/** The session of an item's id; null: none of ours. */
export function sessionOfItem(id: string): SessionId | null {
  const found = ITEM.exec(id);
  return found === null ? (REQUEST.exec(id)?.[1] ?? null) : `ses_${found[2]}`;
}

export const approvalRequestId = (action: ActionId): string => `mcpr_${action}`;

/** null: no request of ours has such an id. */
export const actionOfRequest = (id: string): ActionId | null =>
  REQUEST.test(id) ? id.slice('mcpr_'.length) : null;

/** `x_y` of `run_ses_x_y`. */
const ownPartOf = (run: RunId): string => run.slice('run_ses_'.length);
