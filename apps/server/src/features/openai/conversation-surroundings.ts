import { Injectable } from '@nestjs/common';
import { EraseSession } from '#runs';
import { LargeAnswers } from '../../edge/answers/large-answer.js';
import { MetadataChanges } from './asking/metadata-changes.js';

/** What conversations are answered with, and how they change and end. */
@Injectable()
export class ConversationSurroundings {
  constructor(
    readonly erasure: EraseSession,
    readonly large: LargeAnswers,
    readonly metadata: MetadataChanges,
  ) {}
}
