// Carries the precompiled headers of LaconicPrecompiled.cmake.
