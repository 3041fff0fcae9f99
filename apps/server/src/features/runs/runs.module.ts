import { Module } from '@nestjs/common';
import { AgentController } from './agent.controller.js';
import { DiffController } from './diff/diff.controller.js';
import { RunFilesController } from './files/run-files.controller.js';
import { RunFiles } from './files/run-files.js';
import { RunDiffs } from './diff/run-diffs.js';
import { HistoryAnswers } from './history-answers.js';
import { RunsController } from './runs.controller.js';
import { ReceiptController } from './receipt.controller.js';
import { ReplayController } from './replay.controller.js';
import { RetryController } from './retry.controller.js';
import { RunStartAnswers } from './run-start-answers.js';
import { EventAnswers } from './shared/event-answers.js';
import { RunAnswers } from './shared/run-answers.js';
import { RunRequests } from './shared/run-requests.js';
import { RunPlaces } from './shared/run-places.js';

@Module({
  controllers: [
    AgentController,
    RunsController,
    RetryController,
    ReplayController,
    DiffController,
    RunFilesController,
    ReceiptController,
  ],
  providers: [
    RunStartAnswers,
    RunRequests,
    HistoryAnswers,
    RunAnswers,
    RunPlaces,
    RunDiffs,
    RunFiles,
    EventAnswers,
  ],
  exports: [RunPlaces, RunRequests, EventAnswers],
})
export class RunsModule {}
