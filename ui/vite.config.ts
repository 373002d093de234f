import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  clearScreen: false,
  server: { port: 5173, strictPort: true },
  preview: { port: 4173 },
  build: {
    // The oldest WebKitGTK that the window runs in.
    target: ['es2022', 'safari16.4'],
    // The content security policy forbids data: addresses, so fonts and icons stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
