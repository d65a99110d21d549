import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server that `npm run dev:web` shows: pages come from here, everything else from there. */
const server = process.env.YARDMASTER_URL ?? 'http://127.0.0.1:3000'
const proxy = Object.fromEntries(
  ['/web', '/api', '/jobs', '/supervisor', '/health', '/docs', '/openapi.json'].map((path) => [
    path,
    { target: server, changeOrigin: true },
  ]),
)

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  server: { proxy },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // For older targets lightningcss rewrites light-dark() into rules that ignore the theme switch.
    cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The first load names every file that a page may need, so a name is not longer than it must be: 42 bits tell versions apart.
        chunkFileNames: 'assets/p-[hash:7].js',
        codeSplitting: {
          groups: [
            // One file for what every page needs: it compresses better, and changes less often than the pages.
            {
              name: 'vendor',
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core))/,
            },
            // What the shell and the pages share would be a handful of small files: one of them compresses better. Not what only lists of
            // later pages need.
            {
              name: 'base',
              test: /vite\/preload-helper|packages\/client\/src|contract\/src\/problem|src\/shared\/(api\/(?!rows-at-once)|state\/(draft|keep)|kit\/(icon|icon-paths|button|notes|part|status|time|toasts)\.ts)/,
            },
            // What dialogs with fields share: as one file it costs the first load one name.
            { name: 'forms', test: /src\/shared\/(state\/typed-form|kit\/(form-dialog|kept-draft))\.ts/ },
            // What the pages that list sessions share.
            { name: 'cards', test: /src\/features\/board\/(board-actions|board-cache|row-words)\.ts/ },
          ],
        },
      },
    },
  },
})
