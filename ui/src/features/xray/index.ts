export { XraySection } from './XraySection';
