import type { PageProps } from '../app/routes.js';
import { ChatPage } from '../chat/chat-page.js';

/** A new chat, or a session's. */
export default function Page({ params }: PageProps) {
  return <ChatPage session={params['session'] ?? null} />;
}
