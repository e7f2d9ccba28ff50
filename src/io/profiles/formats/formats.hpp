/// \file
/// The rows of the table of profile formats, one family a file. To add a format: its file here, its declaration, its
/// row in ../formats.cpp, its tests and a seed for the fuzzer.
#pragma once

#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles::formats {

extern const ProfileReader kNsys;
extern const ProfileReader kRocpd;
extern const ProfileReader kTensorFlowTrace;
extern const ProfileReader kKineto;
extern const ProfileReader kHyperfine;
extern const ProfileReader kGoogleBenchmark;
extern const ProfileReader kPytestBenchmark;
extern const ProfileReader kPerfStatJson;
extern const ProfileReader kPerfStatCsv;
extern const ProfileReader kMllog;
extern const ProfileReader kTrainingLog;
extern const ProfileReader kTensorBoard;
extern const ProfileReader kLightning;
extern const ProfileReader kTrainerState;
extern const ProfileReader kNcu;
extern const ProfileReader kNsysStats;
extern const ProfileReader kRocprof;
extern const ProfileReader kRocprofv3;
extern const ProfileReader kMeasurements;

/// Measurements shown as steps: a time in seconds is a host time, everything else a counter.
profile::StepProfile steps_of(const profile::ProfileTable&);

}  // namespace seqpoint::io::profiles::formats
