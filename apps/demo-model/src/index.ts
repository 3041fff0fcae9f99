export { type Answer, answerTo, finishReasonOf, piecesOf, usageOf } from './answer.js';
export {
  BadRequest,
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  indexOfTask,
  textOf,
} from './chat-request.js';
export { type ChatExchange, type ChatServer, refuse, sendJson, startChatServer } from './chat-server.js';
export { type AnswerPiece, ChunkWriter, type TokenUsage } from './chunks.js';
export { type DemoModelOptions, startDemoModel } from './demo-model.js';
export { smallestJson } from './smallest-json.js';
