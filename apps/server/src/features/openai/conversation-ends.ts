import { Injectable } from '@nestjs/common';
import { EraseSession } from '#runs';
import { LargeAnswers } from '../../edge/answers/large-answer.js';

/** What conversations are answered with, and how they end. */
@Injectable()
export class ConversationEnds {
  constructor(
    readonly erasure: EraseSession,
    readonly large: LargeAnswers,
  ) {}
}
