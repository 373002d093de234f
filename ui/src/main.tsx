import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import { App } from './app/App';
import { setBackend } from './ipc/backend';
import { createClient } from './ipc/client';
import { tauriBackend } from './ipc/tauri';

async function start() {
  if (import.meta.env.MODE === 'fake') {
    // Invented data to look at the page with; a production build leaves this branch out.
    const { previewCore } = await import('./ipc/preview');
    setBackend(previewCore(new URLSearchParams(window.location.search)));
  } else {
    setBackend(tauriBackend());
  }
  const client = createClient();
  const root = document.getElementById('root');
  if (root === null) return;
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}

void start();
