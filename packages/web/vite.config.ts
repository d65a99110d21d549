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
        // The first load names every file that a page may need, so a name is not longer than it must be.
        chunkFileNames: 'assets/p-[hash].js',
        codeSplitting: {
          groups: [
            // One file for what every page needs: it compresses better, and changes less often than the pages.
            {
              name: 'vendor',
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core))/,
            },
            // What the shell and the pages share would be a handful of small files: one of them compresses better.
            {
              name: 'base',
              test: /packages\/client\/src|contract\/src\/problem|src\/shared\/(api\/|kit\/(icon|icon-paths|button|notes|status|toasts)\.ts)/,
            },
          ],
        },
      },
    },
  },
})
