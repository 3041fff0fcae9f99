import { useState } from 'preact/hooks';
import type { PageProps } from '../app/routes.js';
import { ChatPage } from '../chat/chat-page.js';

/** A new chat, or a session's. */
export default function Page({ params }: PageProps) {
  const [erasures, setErasures] = useState(0);
  return (
    <ChatPage
      key={erasures}
      session={params['session'] ?? null}
      onAncestorErased={() => setErasures(erasures + 1)}
    />
  );
}
